import autocannon from 'autocannon'
import { percentile } from '../statistics.ts'

/** A request as it is sent. */
export interface Sent {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
}

/** Requests, one after the other. */
export interface Calls {
  next(): Sent
  /** Is given the body of each answer that was as expected. */
  onReply?(body: string): void
}

/** What a round showed. Times are in milliseconds. */
export interface Round {
  requests: number
  perSecond: number
  mean: number
  p50: number
  p99: number
}

export interface Load {
  url: string
  connections: number
  /** How long it goes on, or how many requests it sends. */
  until: { seconds: number } | { requests: number }
  calls: Calls
  /** The status that each answer must have; another one ends the run. */
  expected: number
}

/** How often autocannon looks whether its time is over, in milliseconds. */
const SAMPLE_MS = 20

/**
 * One round of load: each connection sends its next request when it has the answer to the last. The figures are from each
 * answer's own time, since autocannon's histogram counts in whole milliseconds.
 */
export async function closedLoop({
  url,
  connections,
  until,
  calls: { next, onReply },
  expected,
}: Load): Promise<Round> {
  const times: number[] = []
  let wrong: string | undefined
  let lastAt = 0
  const startedAt = performance.now()
  await new Promise<void>((resolve, reject) => {
    const onResponse = (status: number, body: string) => {
      if (status === expected) onReply?.(body)
      else wrong ??= `${status} ${body.slice(0, 500)}`
    }
    const running = autocannon(
      {
        url,
        connections,
        ...('seconds' in until ? { duration: until.seconds } : { amount: until.requests }),
        sampleInt: SAMPLE_MS,
        requests: [{ ...next(), onResponse, setupRequest: (request) => ({ ...request, headers: {}, ...next() }) }],
      },
      (error, { errors, timeouts }) => {
        if (error) reject(error)
        else if (errors + timeouts > 0) reject(new Error(`${errors} requests of ${url} had no answer`))
        else resolve()
      },
    )
    running.on('response', (_client, _status, _bytes, milliseconds: number) => {
      times.push(milliseconds)
      lastAt = performance.now()
    })
  })
  if (wrong) throw new Error(`a request was to be answered with ${expected}, and was with ${wrong}`)
  if (times.length === 0) throw new Error(`${url} answered nothing`)
  const sorted = times.toSorted((one, other) => one - other)
  return {
    requests: times.length,
    perSecond: times.length / ((lastAt - startedAt) / 1000),
    mean: times.reduce((sum, time) => sum + time, 0) / times.length,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
  }
}
