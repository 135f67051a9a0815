import { Agent, request } from 'node:http'
import type { Generated } from './generate.ts'

export interface HttpResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** Sends a request unchanged: unlike fetch, it neither normalizes the path nor rejects a header. */
export function send(url: string, { method, path, headers, body }: Generated, agent: Agent): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const length = body && { 'content-length': body.length }
    const { hostname, port } = new URL(url)
    const outgoing = request(
      { hostname, port, method, path, agent, headers: { ...headers, ...length } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body ?? undefined)
  })
}

/** An agent that keeps and reuses this many connections. */
export const connections = (count: number) => new Agent({ keepAlive: true, maxSockets: count })
