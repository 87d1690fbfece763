import { statfsSync } from "node:fs"

/** How large a file system is, and what this user has left of it, in bytes. */
export interface Room {
  readonly size: number
  readonly free: number
}

/**
 * What the file system of a path tells; undefined where it tells nothing. It is asked as the embedded database writes,
 * which waits for it too: Node's threads may all be looking up names, and meanwhile nothing would be known.
 */
export const roomAt = (path: string) => (): Room | undefined => {
  try {
    const { bavail, blocks, bsize } = statfsSync(path)
    // Some file systems that are no disk tell zeros.
    return blocks > 0 ? { size: blocks * bsize, free: bavail * bsize } : undefined
  } catch {
    return undefined
  }
}

const mb = 1_048_576

/** The least that stays free: some files of the log of changes. */
export const leastReserve = 4 * mb

/**
 * A tenth of the file system, but 64 MB of a large one: room for the largest statement, for what one that reads writes
 * all the same, and for what others write meanwhile.
 */
const reserveOf = (size: number): number => Math.min(64 * mb, Math.max(leastReserve, size / 10))

/** So much more than the reserve is free before there is room again, that it is not the next statement's last. */
const healed = 1.25

/** What stays free on the disk of an embedded database. */
export interface Reserve {
  /** Looks: whether less is free than the reserve. Never of a file system that tells nothing. */
  readonly isTouched: () => boolean
}

export const makeReserve = (look: () => Room | undefined): Reserve => {
  let touched = false
  return {
    isTouched: () => {
      const room = look()
      touched = room !== undefined && room.free < reserveOf(room.size) * (touched ? healed : 1)
      return touched
    }
  }
}

const type = { errorResponse: 0x45, query: 0x51, readyForQuery: 0x5a }
const status = { idle: 0x49, inTransaction: 0x54 }

const query = (text: string): Uint8Array => {
  const message = Buffer.alloc(text.length + 6)
  message[0] = type.query
  message.writeUInt32BE(text.length + 5, 1)
  message.write(text, 5, "latin1")
  return message
}

/** The bytes of a ReadyForQuery. */
const readyBytes = 6

/** What the session says of itself last: undefined as long as it waits for more of the same question. */
const statusAfter = (answer: Buffer): number | undefined => {
  const at = answer.length - readyBytes
  return at >= 0 && answer[at] === type.readyForQuery && answer.readUInt32BE(at + 1) === readyBytes - 1
    ? answer[answer.length - 1]
    : undefined
}

const readOnly = Buffer.from("C25006\0")
const diskFull = Buffer.from("C53100\0")

/** Says of every refusal to write what it is for: a disk that is full. */
const tellFull = (answer: Buffer): void => {
  for (let at = 0; at + 5 <= answer.length;) {
    const end = at + 1 + answer.readUInt32BE(at + 1)
    if (answer[at] === type.errorResponse) {
      const code = answer.subarray(at, end).indexOf(readOnly)
      if (code >= 0) diskFull.copy(answer, at + code)
    }
    at = end
  }
}

/** Sends whole messages to the one session, and gives all that it answers. */
type Exchange = (messages: Uint8Array) => Promise<Buffer>

/**
 * A session that only reads while the reserve is touched, and fails what would write as a full disk does (SQLSTATE
 * 53100): an embedded database that is refused the next file of its log of changes never returns, and this process with
 * it. A transaction that is under way may only end.
 */
export const keepReserve = (reserve: Reserve, exchange: Exchange): Exchange => {
  let onlyReads = false
  let last: number | undefined
  return async (messages) => {
    const touched = reserve.isTouched()
    if (last === status.idle && touched !== onlyReads) {
      await exchange(query(`set default_transaction_read_only = ${touched ? "on" : "off"}`))
      onlyReads = touched
    }
    if (last === status.inTransaction && touched) await exchange(query("set transaction read only"))
    const answer = await exchange(messages)
    last = statusAfter(answer)
    if (touched || onlyReads) tellFull(answer)
    return answer
  }
}
