import { Response } from 'miniflare'

/** The Worker behind every `send_email` binding: it hands the message on as JSON, and tells what came of it. */
const SCRIPT = `
import { WorkerEntrypoint } from 'cloudflare:workers'

export default class extends WorkerEntrypoint {
  async send(message) {
    const answer = await this.env.INBOX.fetch('http://inbox/', { method: 'POST', body: JSON.stringify(message) })
    if (!answer.ok) throw new Error(await answer.text())
    return { messageId: await answer.text() }
  }
}
`
export const MAIL_WORKER = 'local-mail'

/** Takes a message that a Worker sends and gives it an id. What it throws, the Worker's `send` throws. */
export type TakeMail = (message: unknown) => string | Promise<string>

/**
 * Cloudflare's e-mail service, locally: a Worker that others are bound to in its place. Miniflare's own leaves a file
 * behind for each mail, which nobody can wait for, and it never fails.
 */
export function mailWorker(take: TakeMail, compatibilityDate = '') {
  async function INBOX(request: { json(): Promise<unknown> }): Promise<Response> {
    try {
      return new Response(await take(await request.json()))
    } catch (error) {
      return new Response(error instanceof Error ? error.message : String(error), { status: 503 })
    }
  }
  return { name: MAIL_WORKER, modules: true, script: SCRIPT, compatibilityDate, serviceBindings: { INBOX } }
}
