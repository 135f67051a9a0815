/** Where a browser keeps what outlives a page. `localStorage` is one. */
export interface Store {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** So long it may take until other tabs read what one has written, in milliseconds: a lock or a message is there before it. */
export const SPREADS_MS = 100

/** The browser's `localStorage`; where that is denied, as in some frames, or is not there, a memory as long as the page lives. */
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

/** One value in a store; null: there is none. */
export interface Kept<Value> {
  read(): Value | null
  write(value: Value | null): void
}

/**
 * Keeps a value as JSON; where the store is full, as long as the page lives. Text that is no JSON was not written here, and counts as
 * none.
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
        store.removeItem(key) // what is there is out of date, for other tabs too
        unstored = value
      }
    },
  }
}
