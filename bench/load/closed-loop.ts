import { percentile } from '../statistics.ts'

/** A request to send. */
export interface Sent {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
}

/** A sequence of requests. */
export interface Calls {
  next(): Sent
  /** Called with the body of each expected response. */
  onReply?(body: string): void
}

/** The results of a round. Times are in milliseconds. */
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
  /** The duration, or the number of requests. */
  until: { seconds: number } | { requests: number }
  calls: Calls
  /** The expected status of each response; any other aborts the run. */
  expected: number
}

/** One round of load: each connection sends its next request after the response to the last. */
export async function closedLoop({ url, connections, until, calls, expected }: Load): Promise<Round> {
  const times: number[] = []
  const startedAt = performance.now()
  let started = 0
  const goesOn = () =>
    'seconds' in until ? performance.now() - startedAt < until.seconds * 1000 : started < until.requests
  const connection = async () => {
    while (goesOn()) {
      started += 1
      times.push(await send(url, calls, expected))
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  const seconds = (performance.now() - startedAt) / 1000
  const sorted = times.toSorted((one, other) => one - other)
  return {
    requests: times.length,
    perSecond: times.length / seconds,
    mean: times.reduce((sum, time) => sum + time, 0) / times.length,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
  }
}

/** Sends the next request and returns the latency. */
async function send(url: string, { next, onReply }: Calls, expected: number): Promise<number> {
  const { path, ...request } = next()
  const sentAt = performance.now()
  const response = await fetch(url + path, request)
  const body = await response.text()
  const milliseconds = performance.now() - sentAt
  if (response.status !== expected)
    throw new Error(`${path} answered ${response.status} instead of ${expected}: ${body.slice(0, 500)}`)
  onReply?.(body)
  return milliseconds
}
