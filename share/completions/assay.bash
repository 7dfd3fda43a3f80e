# SPDX-License-Identifier: BSD-3-Clause
# bash completion for assay and hpmcount. Verbs, options and events are asked
# for from the command itself, so this never goes stale.

_assay_events()
{
	"$1" list -q 2>/dev/null | awk '/^  [A-Za-z][^ ]*(  |$)/ { print $1 }'
}

# The verb of the words so far, and where it stands.
_assay_verb()
{
	case ${COMP_WORDS[0]##*/} in
	hpmcount) verb=count at=0 ;;
	*) verb=${COMP_WORDS[1]} at=1 ;;
	esac
}

# Whether a program of its own stands before the word: then it is not ours.
_assay_program_given()
{
	local i word takes
	takes=$("$1" help --form table "$verb" 2>/dev/null |
		awk -F'\t' '$3 != "" { print $1; if ($2) print $2 }')
	for ((i = at + 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		case $word in
		--) return 0 ;;
		-*) [[ $'\n'$takes$'\n' == *$'\n'$word$'\n'* ]] && ((i++)) ;;
		=) ((i++)) ;;
		*) return 0 ;;
		esac
	done
	return 1
}

_assay()
{
	local assay=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]}
	local before=${COMP_WORDS[COMP_CWORD - 1]} verb at values
	[[ ${assay##*/} == hpmcount ]] && assay=${assay%hpmcount}assay
	_assay_verb
	if ((at == 1 && COMP_CWORD == 1)); then
		values=$("$assay" help 2>/dev/null |
			awk '/^  [a-z]+ +[a-z]/ { print $1 }')
	elif [[ $verb == count || $verb == run ]] &&
		_assay_program_given "$assay"; then
		COMPREPLY=($(compgen -f -- "$word"))
		return
	else
		case $before in
		-e | --events) values=$(_assay_events "$assay") ;;
		--pmu) values="auto hw sim none" ;;
		--color) values="auto always never" ;;
		--format) values="text json csv openmetrics" ;;
		-o | --output | -m | --metrics | --event-file)
			COMPREPLY=($(compgen -f -- "$word"))
			return
			;;
		*)
			if [[ $word == -* ]]; then
				values=$("$assay" help --form table "$verb" \
					2>/dev/null | cut -f1)
			elif [[ $verb == explain ]]; then
				values=$(_assay_events "$assay")
			elif [[ $verb == count || $verb == run ]]; then
				COMPREPLY=($(compgen -c -f -- "$word"))
				return
			elif [[ $verb == help ]]; then
				values=$("$assay" help 2>/dev/null |
					awk '/^  [a-z]+ +[a-z]/ { print $1 }')
			else
				COMPREPLY=($(compgen -f -- "$word"))
				return
			fi
			;;
		esac
	fi
	COMPREPLY=($(compgen -W "$values" -- "$word"))
}

complete -F _assay assay hpmcount
