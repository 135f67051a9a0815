import { Response } from 'miniflare'

/** The Worker behind every `send_email` binding: forwards the message as JSON and returns or throws the outcome. */
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

/** Receives a Worker's message and returns its id. Its errors are thrown by the Worker's `send`. */
export type ReceiveMail = (message: unknown) => string | Promise<string>

/**
 * The Worker that stands in for Cloudflare's e-mail service. Miniflare's own writes a file for each mail, which nobody can wait
 * for, and never fails.
 */
export function mailWorker(receive: ReceiveMail, compatibilityDate = '') {
  async function INBOX(request: { json(): Promise<unknown> }): Promise<Response> {
    try {
      return new Response(await receive(await request.json()))
    } catch (error) {
      return new Response(error instanceof Error ? error.message : String(error), { status: 503 })
    }
  }
  return { name: MAIL_WORKER, modules: true, script: SCRIPT, compatibilityDate, serviceBindings: { INBOX } }
}
