/**
 * Addresses and hashes that look like those of a chain. They are drawn, so none is anybody's.
 */
import { integer, type Key } from "../kernel/random.ts"

const hex = "0123456789abcdef"
const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

const text = (alphabet: string, length: number, key: Key, firstSlot: number): string => {
  let drawn = ""
  for (let i = 0; i < length; i++) drawn += alphabet[integer(key, firstSlot + i, alphabet.length)]!
  return drawn
}

/** Chains whose addresses are written in base 58; the others use hexadecimal ones. */
const base58Chains: ReadonlySet<string> = new Set(["solana", "tron", "bitcoin", "xrpl"])

/** An address on a chain, from the slots of a key from `firstSlot` on (44 of them). */
export const addressOn = (chain: string, key: Key, firstSlot = 0): string => {
  if (chain === "bitcoin") return `bc1q${text("023456789acdefghjklmnpqrstuvwxyz", 38, key, firstSlot)}`
  return base58Chains.has(chain) ? text(base58, 44, key, firstSlot) : `0x${text(hex, 40, key, firstSlot)}`
}

export const shortened = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`

/** A transaction's hash, from 64 slots. */
export const transactionHash = (chain: string, key: Key, firstSlot = 0): string =>
  chain === "solana"
    ? text(base58, 64, key, firstSlot)
    : `${chain === "bitcoin" ? "" : "0x"}${text(hex, 64, key, firstSlot)}`

/** Whether two addresses are one: those of hexadecimal digits have no case. */
export const sameAddress = (a: string, b: string): boolean =>
  a === b || (/^0x[0-9a-f]+$/iu.test(a) && a.toLowerCase() === b.toLowerCase())
