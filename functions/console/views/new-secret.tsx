import type { Mode, Viewer } from '../session.ts'
import { consolePage } from './layout.tsx'
import { Time } from './parts.tsx'

interface NewSecretProps {
  viewer: Viewer
  url: string
  secret: string
  /** Until when the old secret signs, too. */
  until: string
  mode: Mode
}

export const newSecretPage = ({ viewer, url, secret, until, mode }: NewSecretProps) =>
  consolePage({
    title: 'New secret',
    section: 'Webhooks',
    mode,
    viewer,
    children: (
      <>
        <p>The new secret of {url}. It is shown only once: copy it to your backend now.</p>
        <pre>{secret}</pre>
        <p>
          Until <Time at={until} /> each event is signed with the old secret, too.
        </p>
        <p>
          <a href={`/${mode}/webhooks`}>Back to the webhook endpoints</a>
        </p>
      </>
    ),
  })
