/** How often we look whether npm still lives, which may be killed without a word to us. */
const PARENT_WATCH_MS = 500

/** Resolves when we are asked to stop. From then on further requests do nothing: stopping is under way. */
export function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
    if (!process.env.npm_lifecycle_event) return
    // Our parent is npm itself, for its script says `exec`: the shell between would keep signals to itself.
    const npm = process.ppid
    setInterval(() => process.ppid !== npm && resolve(), PARENT_WATCH_MS).unref()
  })
}
