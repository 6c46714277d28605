# SPDX-License-Identifier: Apache-2.0
# Bash completion of dlpack-shards and dls-bench. Commands and options are asked from the programs themselves
# (--commands, COMMAND --long-options), so that nothing here needs to follow their changes.

_dlpack_shards()
{
    local tool=${COMP_WORDS[0]} command=${COMP_WORDS[1]-} word=${COMP_WORDS[COMP_CWORD]} option='' line
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$("$tool" --commands 2> /dev/null | cut -f 1) --help --version" -- "$word")
        return
    fi
    # readline takes "=" as a word of its own.
    if [[ $word == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 1]} word=
    elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == -* ]]; then
        option=${COMP_WORDS[COMP_CWORD - 1]}
    fi
    if [[ -n $option ]]; then
        # Columns: --name=, short form, argument, help.
        while IFS= read -r line; do
            local name=${line%%$'\t'*} rest=${line#*$'\t'}
            local letter=${rest%%$'\t'*} argument=${rest#*$'\t'}
            argument=${argument%%$'\t'*}
            if [[ $name == "$option=" || ($letter == "$option" && -n $argument) ]]; then
                if [[ $argument == *'|'* ]]; then
                    mapfile -t COMPREPLY < <(compgen -W "${argument//|/ }" -- "$word")
                elif [[ $argument == FILE || $argument == DIR ]]; then
                    compopt -o filenames 2> /dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$word")
                fi
                return
            fi
        done < <("$tool" "$command" --long-options 2> /dev/null)
    fi
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$tool" "$command" --long-options 2> /dev/null | cut -f 1)" -- "$word")
        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2> /dev/null
        return
    fi
    compopt -o filenames 2> /dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
}

complete -F _dlpack_shards dlpack-shards dls-bench
