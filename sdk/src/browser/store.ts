/** Storage that outlives a page, such as `localStorage`. */
export interface Store {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** How long a write may take to reach other tabs, in milliseconds: locks and messages are faster. */
export const PROPAGATION_MS = 100

/** The browser's `localStorage`, or memory for the life of the page if that is missing or denied, as in some frames. */
export function browserStore(): Store {
  try {
    const store = localStorage
    store.getItem('')
    return store
  } catch {
    return memory()
  }
}

function memory(): Store {
  const kept = new Map<string, string>()
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  }
}

/** One stored value, or null. */
export interface Kept<Value> {
  read(): Value | null
  write(value: Value | null): void
}

/**
 * Stores a value as JSON, or in memory for the life of the page if the store is full. Invalid JSON was not written here and is ignored.
 */
export function keptIn<Value>(store: Store, key: string): Kept<Value> {
  let unstored: Value | null = null
  return {
    read() {
      try {
        return JSON.parse(store.getItem(key) ?? 'null') ?? unstored
      } catch {
        return unstored
      }
    },
    write(value) {
      unstored = null
      if (value === null) return store.removeItem(key)
      try {
        store.setItem(key, JSON.stringify(value))
      } catch {
        store.removeItem(key) // the old value is stale, for other tabs too
        unstored = value
      }
    },
  }
}
