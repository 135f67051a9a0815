import { escapeHtml } from '../../../world/pages/escape-html.ts'

/** HTML of the Markdown that our descriptions use: `code`, links, lists and paragraphs. */
export function prose(text: string): string {
  return text
    .split(/\n{2,}/)
    .map((block) => (block.startsWith('- ') ? list(block) : `<p>${inline(block)}</p>`))
    .join('\n')
}

const list = (block: string) =>
  `<ul>${block
    .split(/^- /m)
    .filter(Boolean)
    .map((item) => `<li>${inline(item.trim())}</li>`)
    .join('')}</ul>`

/** HTML of a line of Markdown: `code` and links. */
export function inline(text: string): string {
  return escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\[([^\]]+)\]\((https:[^)\s]+)\)/g, '<a href="$2">$1</a>')
}
