# SPDX-License-Identifier: BSD-3-Clause
# bash completion for assay and hpmcount. The command itself says what may come
# next (assay help --next), so nothing here goes stale.

# Fill COMPREPLY for the words of $1... of which the last is being typed.
_assay_offer()
{
	local what line cut
	local -a words=("${@//\\ / }") # a blank in a word is typed as "\ "
	{
		read -r what
		while IFS= read -r line; do
			line=${line%%$'\t'*}
			COMPREPLY+=("${line// /\\ }")
		done
	} < <("$assay" help --next -- "${words[@]}" 2>/dev/null)
	local word=${words[-1]}
	[[ $word == --*=* ]] && word=${word#*=}
	case $what in
	files) COMPREPLY+=($(compgen -f -- "$word")) ;;
	commands) COMPREPLY+=($(compgen -c -f -- "$word")) ;;
	esac
	# bash replaces only what follows the last colon of the word.
	if [[ $word == *:* && $COMP_WORDBREAKS == *:* ]]; then
		cut=${word%"${word##*:}"}
		COMPREPLY=("${COMPREPLY[@]#"$cut"}")
	fi
}

_assay()
{
	local assay=${COMP_WORDS[0]} i
	local -a words=()
	if [[ ${assay##*/} == hpmcount ]]; then
		assay=${assay%hpmcount}assay
		words=(count)
	fi
	# bash takes names with colons and options with '=' apart: join them.
	for ((i = 1; i <= COMP_CWORD; i++)); do
		if ((${#words[@]})) && [[ ${COMP_WORDS[i]} == [:=]* ||
			${COMP_WORDS[i - 1]} == *[:=] ]]; then
			words[-1]+=${COMP_WORDS[i]}
		else
			words+=("${COMP_WORDS[i]}")
		fi
	done
	COMPREPLY=()
	_assay_offer "${words[@]}"
}

complete -F _assay assay hpmcount
