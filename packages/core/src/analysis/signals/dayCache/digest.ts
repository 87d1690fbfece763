/** Computes one of the four 32-bit parts of a digest, with FNV-1a and the final steps of MurmurHash3. */
const hashLane = (text: string, start: number, prime: number): string => {
  let hash = start
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), prime)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0).toString(16).padStart(8, "0")
}

/** Returns a digest of a JSON value as 32 hexadecimal digits. The digest is not safe against deliberate collisions. */
export const makeDigest = (value: unknown): string => {
  const text = JSON.stringify(value)
  return hashLane(text, 0x811c9dc5, 0x01000193) + hashLane(text, 0x9e3779b9, 0x85ebca77) +
    hashLane(text, 0x2545f491, 0xc2b2ae3d) +
    hashLane(text, 0x6a09e667, 0x27d4eb2f)
}
