import { dayMs } from "../../../market/timeframe.ts"
import type { Layout, RememberedDay } from "./dayRows.ts"

/**
 * The encoding of a day that is remembered from its beginning, little endian. It consists of the format, a checksum of
 * the rest, the number of known rows, their width, and the rows as doubles.
 */
const format = 2
const headerBytes = 16

const checksumOf = (bytes: Uint8Array): number => {
  let sum = 0x811c9dc5
  for (const byte of bytes) sum = Math.imul(sum ^ byte, 0x01000193)
  return sum >>> 0
}

export const encodeDay = ({ stepMs, width }: Layout, { day, until, values }: RememberedDay): Uint8Array => {
  const rows = Math.round((until - day) / stepMs)
  const bytes = new Uint8Array(headerBytes + rows * width * 8)
  const view = new DataView(bytes.buffer)
  view.setUint32(8, rows, true)
  view.setUint32(12, width, true)
  let at = headerBytes
  for (let i = 0; i < rows * width; i++, at += 8) view.setFloat64(at, values[i]!, true)
  view.setUint32(0, format, true)
  view.setUint32(4, checksumOf(bytes.subarray(8)), true)
  return bytes
}

/** Decodes a day. Undefined for another format or layout, and for damaged bytes. */
export const decodeDay = (
  { stepMs, width }: Layout,
  { bytes, day, revision, until }: {
    readonly bytes: Uint8Array
    readonly day: number
    readonly revision: string
    readonly until: number
  }
): RememberedDay | undefined => {
  if (bytes.length < headerBytes) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const rows = view.getUint32(8, true)
  if (
    view.getUint32(0, true) !== format || rows !== (until - day) / stepMs || rows < 1 || rows > dayMs / stepMs ||
    view.getUint32(12, true) !== width || bytes.length !== headerBytes + rows * width * 8 ||
    view.getUint32(4, true) !== checksumOf(bytes.subarray(8))
  ) return undefined
  const values = new Float64Array((dayMs / stepMs) * width).fill(NaN)
  let at = headerBytes
  for (let i = 0; i < rows * width; i++, at += 8) values[i] = view.getFloat64(at, true)
  return { day, revision, since: day, until, values }
}
