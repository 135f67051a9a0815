/** How often to check whether npm is still running: it may be killed without forwarding the signal. */
const PARENT_WATCH_MS = 500

/** Resolves at the first signal to stop. Later signals are ignored. */
export function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
    if (!process.env.npm_lifecycle_event) return
    // Our parent is npm itself because the script uses `exec`: a shell in between would not forward signals.
    const npm = process.ppid
    setInterval(() => process.ppid !== npm && resolve(), PARENT_WATCH_MS).unref()
  })
}
