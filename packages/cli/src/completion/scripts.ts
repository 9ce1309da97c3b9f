export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** How the hidden command that the scripts ask says that a file name comes next. */
export const FILE_MARK = ':file';

/**
 * The script that teaches a shell to complete `patchbay`. It asks the command itself, which answers
 * with lines of a word, a tab and what it means.
 */
export function completionScript(shell: Shell): string {
  switch (shell) {
    case 'bash':
      return BASH;
    case 'zsh':
      return ZSH;
    case 'fish':
      return FISH;
  }
}

/** `__complete` gets every word up to the cursor, the unfinished last one included. */
const BASH = `# patchbay completion for bash: eval "$(patchbay completion bash)"
_patchbay() {
  local word line
  COMPREPLY=()
  while IFS= read -r line; do
    word=\${line%%$'\\t'*}
    if [ "$word" = '${FILE_MARK}' ]; then
      while IFS= read -r line; do
        COMPREPLY+=("$line")
      done < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")
      compopt -o filenames 2>/dev/null
    else
      COMPREPLY+=("$word")
    fi
  done < <("\${COMP_WORDS[0]}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _patchbay patchbay
`;

const ZSH = `#compdef patchbay
# patchbay completion for zsh: eval "$(patchbay completion zsh)"
_patchbay() {
  local line word
  local -a entries
  while IFS= read -r line; do
    word=\${line%%$'\\t'*}
    if [[ $word == '${FILE_MARK}' ]]; then
      _files
      return
    fi
    entries+=("\${word//:/\\\\:}:\${line#*$'\\t'}")
  done < <("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe patchbay entries
}
compdef _patchbay patchbay
`;

const FISH = `# patchbay completion for fish: patchbay completion fish | source
function __patchbay_complete
  set -l words (commandline -opc)
  set -l answer ($words[1] __complete -- $words[2..-1] (commandline -ct) 2>/dev/null)
  if test "$answer[1]" = '${FILE_MARK}'
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $answer
  end
end
complete -c patchbay -f -a '(__patchbay_complete)'
`;
