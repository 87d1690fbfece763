/** Random blockchain addresses and transaction hashes in the format of a chain, which belong to no real wallet. */
import { drawInteger, type Key } from "../kernel/random.ts"

const hex = "0123456789abcdef"
const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

const drawText = (alphabet: string, length: number, key: Key, firstSlot: number): string => {
  let result = ""
  for (let i = 0; i < length; i++) result += alphabet[drawInteger(key, firstSlot + i, alphabet.length)]!
  return result
}

/** The chains with base58 addresses; other chains have hexadecimal addresses. */
const base58Chains: ReadonlySet<string> = new Set(["solana", "tron", "bitcoin", "xrpl"])

/**
 * Returns a random address in the format of a chain. The address depends on 44 random-number slots, starting with
 * `firstSlot`.
 */
export const makeAddress = (chain: string, key: Key, firstSlot = 0): string => {
  if (chain === "bitcoin") return `bc1q${drawText("023456789acdefghjklmnpqrstuvwxyz", 38, key, firstSlot)}`
  return base58Chains.has(chain) ? drawText(base58, 44, key, firstSlot) : `0x${drawText(hex, 40, key, firstSlot)}`
}

export const shortenAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`

/**
 * Returns a random transaction hash in the format of a chain. The hash depends on 64 random-number slots, starting with
 * `firstSlot`.
 */
export const makeTransactionHash = (chain: string, key: Key, firstSlot = 0): string =>
  chain === "solana"
    ? drawText(base58, 64, key, firstSlot)
    : `${chain === "bitcoin" ? "" : "0x"}${drawText(hex, 64, key, firstSlot)}`

/** Returns whether two addresses are equal, where hexadecimal addresses are compared without case. */
export const isSameAddress = (a: string, b: string): boolean =>
  a === b || (/^0x[0-9a-f]+$/iu.test(a) && a.toLowerCase() === b.toLowerCase())
