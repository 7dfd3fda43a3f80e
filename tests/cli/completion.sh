#!/bin/bash
# What bash offers after the first letters of verbs, options and events.
# completion.sh SOURCE BUILD
set -u
# shellcheck source=/dev/null
source "$1/share/completions/assay.bash"
assay=$2/assay
bad=0

# offers "WORDS..." "EXPECTED": the last word is the one being completed
offers()
{
	read -r -a COMP_WORDS <<<"$1"
	[[ $1 == *" " ]] && COMP_WORDS+=("")
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMPREPLY=()
	_assay
	if [[ " ${COMPREPLY[*]} " != *" $2 "* ]]; then
		echo "after '$1': expected $2, got ${COMPREPLY[*]}"
		bad=1
	fi
}

offers "$assay co" count
offers "$assay d" doctor
offers "$assay count --no" --no-multiplex
if "$assay" list -q --presets | grep -q "^  PAPI_TOT_INS "; then
	offers "$assay count -e PAPI_TOT_I" PAPI_TOT_INS
	offers "$assay explain PAPI_TOT_I" PAPI_TOT_INS
fi
offers "$assay count --pmu s" sim
offers "$assay count --pmu sim /bin/sh /bin/tru" /bin/true

offers "$assay list --pre" --presets
offers "$assay help li" list
offers "$2/hpmcount --ev" --events
exit $bad
