import { document } from './layout.tsx'

/** A page for an error. */
export const failurePage = (title: string, text: string, back: { href: string; text: string }) =>
  document(
    title,
    <main class="narrow">
      <h1>{title}</h1>
      <p>{text}</p>
      <p>
        <a href={back.href}>{back.text}</a>
      </p>
    </main>,
  )
