import { setTimeout as delay } from 'node:timers/promises'
import { percentile } from '../statistics.ts'
import type { Calls } from './closed-loop.ts'

export interface OpenLoad {
  url: string
  perSecond: number
  seconds: number
  calls: Calls
  expected: number
}

/** The results of a constant load. Latencies are in milliseconds from the time at which a request was due. */
export interface OpenRound {
  offered: number
  /** Responses per second, up to the last response. */
  achieved: number
  p50: number
  p99: number
}

/** With more concurrent requests the queue only grows: the rest of the round is not sent. */
const MOST_UNDER_WAY = 400

/**
 * Sends requests at a constant rate, whether or not earlier ones are answered, like independent callers.
 */
export async function openLoop({
  url,
  perSecond,
  seconds,
  calls: { next, onReply },
  expected,
}: OpenLoad): Promise<OpenRound> {
  const times: number[] = []
  const underWay = new Set<Promise<void>>()
  const total = Math.round(perSecond * seconds)
  const startedAt = performance.now()
  let wrong: string | undefined
  for (let sent = 0; sent < total && underWay.size < MOST_UNDER_WAY && !wrong; sent++) {
    const dueAt = startedAt + (sent * 1000) / perSecond
    const early = dueAt - performance.now()
    if (early > 0) await delay(early)
    const request = send(dueAt).finally(() => underWay.delete(request))
    underWay.add(request)
  }
  await Promise.all(underWay)
  if (wrong) throw new Error(`a request was to be answered with ${expected}, and was with ${wrong}`)
  const sorted = times.toSorted((one, other) => one - other)
  return {
    offered: perSecond,
    achieved: times.length / ((performance.now() - startedAt) / 1000),
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
  }

  async function send(dueAt: number): Promise<void> {
    const { path, ...request } = next()
    const response = await fetch(url + path, request)
    const body = await response.text()
    times.push(performance.now() - dueAt)
    if (response.status === expected) onReply?.(body)
    else wrong ??= `${response.status} ${body.slice(0, 500)}`
  }
}
