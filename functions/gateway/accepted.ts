// What only an endpoint can check, such as an owner key, is taken at the gateway for what the endpoint said of it before. The
// memory is this isolate's own: what it does not know costs one call to learn.

/** How many are remembered of each kind; the oldest are forgotten first. */
const MEMORY = 10_000

/**
 * How long a call waits for the answer to another one with the same proof, in milliseconds, and between two looks. An endpoint
 * whose database does not answer says so within this time.
 */
const WAIT_MS = 5_000
const PAUSE_MS = 20

const accepted = new Set<string>()
const others = new Map<string, 'asked' | 'refused'>()

/**
 * Whether an endpoint has accepted this proof of who calls. Of calls that begin with the same proof at the same time one is
 * asked about, and the others wait for what its endpoint answers: so an owner's first calls are not taken for a stranger's.
 */
export async function isAccepted(proof: string): Promise<boolean> {
  const deadline = Date.now() + WAIT_MS
  while (others.get(proof) === 'asked' && Date.now() < deadline) await pause()
  if (accepted.has(proof)) return true
  if (!others.has(proof)) remember(proof, 'asked')
  return false
}

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, PAUSE_MS))

/** Notes what an endpoint made of a proof; null: its answer does not tell. */
export function note(proof: string, isGood: boolean | null): void {
  if (isGood === null) {
    if (others.get(proof) === 'asked') others.delete(proof)
    return
  }
  accepted.delete(proof)
  others.delete(proof)
  if (isGood) {
    accepted.add(proof)
    forgetOldest(accepted)
  } else remember(proof, 'refused')
}

function remember(proof: string, state: 'asked' | 'refused'): void {
  others.set(proof, state)
  forgetOldest(others)
}

function forgetOldest(memory: Set<string> | Map<string, unknown>): void {
  const [oldest] = memory.size > MEMORY ? memory.keys() : []
  if (oldest !== undefined) memory.delete(oldest)
}
