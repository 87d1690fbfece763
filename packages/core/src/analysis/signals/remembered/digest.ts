/** One of four lanes: its text, mixed from a start of its own (FNV-1a, then MurmurHash3's last steps). */
const lane = (text: string, start: number, prime: number): string => {
  let hash = start
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), prime)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0).toString(16).padStart(8, "0")
}

/**
 * A short name of any JSON: 32 hexadecimal digits. Two that differ by chance have different names; it is no protection
 * against who wants a collision.
 */
export const digestOf = (value: unknown): string => {
  const text = JSON.stringify(value)
  return lane(text, 0x811c9dc5, 0x01000193) + lane(text, 0x9e3779b9, 0x85ebca77) + lane(text, 0x2545f491, 0xc2b2ae3d) +
    lane(text, 0x6a09e667, 0x27d4eb2f)
}
