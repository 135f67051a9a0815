/** What we use of autocannon, which brings no types. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events'

  interface Request {
    method?: string
    path?: string
    headers?: Record<string, string>
    body?: string
    /** Called before each request: what it returns is sent. */
    setupRequest?: (request: Request) => Request
    onResponse?: (status: number, body: string) => void
  }

  interface Options {
    url: string
    connections: number
    /** In seconds. */
    duration?: number
    /** How many requests are sent, instead. */
    amount?: number
    /** How often it looks whether it is over, in milliseconds. */
    sampleInt: number
    requests: Request[]
  }

  interface Result {
    errors: number
    timeouts: number
  }

  /** Emits `response` with the client, the status, the bytes and the time it took in milliseconds. */
  function autocannon(options: Options, callback: (error: Error | null, result: Result) => void): EventEmitter

  export = autocannon
}
