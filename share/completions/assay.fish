# SPDX-License-Identifier: BSD-3-Clause
# fish completion for assay and hpmcount. The command itself says what may come
# next (assay help --next), so nothing here goes stale.

function __assay_next
    set -l typed (commandline -opc) (commandline -ct)
    set -l assay $typed[1]
    set -e typed[1]
    if string match -qr '(^|/)hpmcount$' -- $assay
        set assay (string replace -r 'hpmcount$' assay -- $assay)
        set -p typed count
    end
    set -l lines ($assay help --next -- $typed 2>/dev/null)
    set -l joined (string match -r -- '^--[^=]*=' $typed[-1])
    for line in $lines[2..]
        echo "$joined$line"
    end
    switch "$lines[1]"
        case files
            __fish_complete_path (string replace -r -- '^--[^=]*=' '' $typed[-1])
        case commands
            __fish_complete_command
            __fish_complete_path $typed[-1]
    end
end

complete -c assay -f -a '(__assay_next)'
complete -c hpmcount -f -a '(__assay_next)'
