/** The version of each object of a purchase, by the object's id; it grows with every change. Empty if reads are never stale. */
export type ObjectVersions = Readonly<Record<string, number>>

/** Whether a read has an older version of a known object or, unless `mayMiss`, lacks one. The same as is_behind in SQL. */
export function isBehind(versions: ObjectVersions, known: ObjectVersions, mayMiss: boolean): boolean {
  return Object.entries(known).some(([id, version]) => {
    const read = versions[id]
    return read === undefined ? !mayMiss : read < version
  })
}
