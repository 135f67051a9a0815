interface NoticeProps {
  /** An error, a success, or neutral information. */
  kind: 'problem' | 'good' | 'news'
  text: string
  link?: { href: string; text: string }
}

/** A message at the top of a page about what has just happened. */
export function Notice({ kind, text, link }: NoticeProps) {
  return (
    <p class={`notice ${kind}`} role={kind === 'problem' ? 'alert' : 'status'}>
      {text} {link && <a href={link.href}>{link.text}</a>}
    </p>
  )
}
