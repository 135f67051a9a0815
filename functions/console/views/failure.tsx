import { FRONT_PATH } from '../paths.ts'
import { document } from './layout.tsx'

/** A page for an error. */
export const failurePage = (title: string, text: string) =>
  document(
    title,
    <main class="narrow">
      <h1>{title}</h1>
      <p>{text}</p>
      <p>
        <a href={FRONT_PATH}>To the console</a>
      </p>
    </main>,
  )
