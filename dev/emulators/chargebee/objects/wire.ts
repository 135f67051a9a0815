/**
 * A type of the official SDK as it is on the wire, where each object says what it is. Every object that the emulator sends is
 * checked against the SDK's own type through this one.
 */
export type Wire<T> = T & { object: string }

/** When an object was changed, and its version, which grows with every change. */
export const version = (updatedAt: number) => ({ updated_at: updatedAt, resource_version: updatedAt * 1000 })
