# SPDX-License-Identifier: MIT
# Completion of cachestore for bash: source this file, or install it as
# /usr/share/bash-completion/completions/cachestore

_cachestore() {
    local word="${COMP_WORDS[COMP_CWORD]}" command="" index
    for ((index = 1; index < COMP_CWORD; index++)); do
        case "${COMP_WORDS[index]}" in
            -*) ;;
            *)
                command="${COMP_WORDS[index]}"
                break
                ;;
        esac
    done
    COMPREPLY=()
    if [[ "$word" == -* ]]; then
        case "$command" in
            "") mapfile -t COMPREPLY < <(compgen -W '--help --version' -- "$word") ;;
            salvage) mapfile -t COMPREPLY < <(compgen -W '--output --json --help' -- "$word") ;;
            check) mapfile -t COMPREPLY < <(compgen -W '--deep --json --help' -- "$word") ;;
            *) mapfile -t COMPREPLY < <(compgen -W '--json --help' -- "$word") ;;
        esac
    elif [[ -z "$command" ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'info check heal salvage' -- "$word")
    else
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}

complete -F _cachestore cachestore
