/** Settings of the runtime, for the world's Workers and for the benchmarks' reference Workers. */
export const RUNTIME = {
  host: '127.0.0.1',
  cf: { country: 'US' },
  // Miniflare's request log: the Workers log each request themselves.
  logRequests: false,
}

/** Settings of each Worker. */
export const WORKER = {
  // Otherwise Miniflare copies the headers of each outgoing request to remove one that the Workers never send.
  stripCfConnectingIp: false,
}
