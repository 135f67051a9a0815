interface NoticeProps {
  /** What went wrong, what went well, or neither. */
  kind: 'problem' | 'good' | 'news'
  text: string
  link?: { href: string; text: string }
}

/** A sentence above a page, about what has just happened. */
export function Notice({ kind, text, link }: NoticeProps) {
  return (
    <p class={`notice ${kind}`} role={kind === 'problem' ? 'alert' : 'status'}>
      {text} {link && <a href={link.href}>{link.text}</a>}
    </p>
  )
}
