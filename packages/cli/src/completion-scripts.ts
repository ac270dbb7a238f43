/**
 * What shells load to complete command lines. Each asks `firmquote complete -- <words>`: a line for each suggestion, with what it is
 * behind a tab, and at last `:0` where files are wanted and `:4` where not. What was typed is handed on as words and never
 * evaluated.
 */

const BASH = `# Completion of firmquote for bash.
_firmquote() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :0) compopt -o default 2>/dev/null; return ;;
      :*) ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(firmquote complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _firmquote firmquote
`;

const ZSH = `#compdef firmquote
# Completion of firmquote for zsh.
_firmquote() {
  local line
  local -a suggestions
  for line in "\${(@f)$(firmquote complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      :0) [[ $PREFIX == --*=* ]] && compset -P '*='; _files; return ;;
      :*) ;;
      *) suggestions+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  _describe firmquote suggestions
}
if [ "$funcstack[1]" = "_firmquote" ]; then _firmquote "$@"; else compdef _firmquote firmquote; fi
`;

const FISH = `# Completion of firmquote for fish.
function __firmquote_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (firmquote complete -- $words[2..-1] 2>/dev/null)
        switch $line
            case ':0'
                set -l flag (string match -r '^--[^=]*=' -- $words[-1])
                for path in (__fish_complete_path (string replace -r '^--[^=]*=' '' -- $words[-1]))
                    echo "$flag"$path
                end
            case ':*'
            case '*'
                echo $line
        end
    end
end
complete -c firmquote -f -a '(__firmquote_complete)'
`;

const PWSH = `# Completion of firmquote for PowerShell.
Register-ArgumentCompleter -Native -CommandName firmquote -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -le $cursorPosition } | ForEach-Object { $_.ToString() })
  if ($wordToComplete -eq '') { $words += '' }
  firmquote complete '--' @words 2>$null | Where-Object { $_ -notmatch '^:' } | ForEach-Object {
    $value, $text = $_ -split "\`t", 2
    if (-not $text) { $text = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $text)
  }
}
`;

/** By the names that people use. */
export const SCRIPTS: Readonly<Record<string, string>> = {
  bash: BASH,
  zsh: ZSH,
  fish: FISH,
  pwsh: PWSH,
  powershell: PWSH,
};
