#compdef assay hpmcount
# SPDX-License-Identifier: BSD-3-Clause
# zsh completion for assay and hpmcount. The command itself says what may come
# next (assay help --next), so nothing here goes stale.

local assay=$words[1] what line
local -a typed=("${(@)words[2,CURRENT]}") offers lines
if [[ ${assay:t} == hpmcount ]]; then
	assay=${assay%hpmcount}assay
	typed=(count "${(@)typed}")
fi
lines=("${(@f)$($assay help --next -- "${(@)typed}" 2>/dev/null)}")
what=$lines[1]
for line in "${(@)lines[2,-1]}"; do
	# A colon ends the word in _describe's list.
	offers+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
done
[[ $typed[-1] == --*=* ]] && compset -P '*='
_describe assay offers
case $what in
files) _files ;;
commands) _command_names -e; _files ;;
esac
