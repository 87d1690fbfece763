import { statfsSync } from "node:fs"

/** The size of a file system, and the space that is free for this user, in bytes. */
export interface Room {
  readonly size: number
  readonly free: number
}

/**
 * Returns the room on the file system of a path; undefined if it is unknown. The query is synchronous and delays each
 * write of the embedded database. An asynchronous query could wait while all threads of Node look up names, and the
 * free space would be unknown meanwhile.
 */
export const roomAt = (path: string) => (): Room | undefined => {
  try {
    const { bavail, blocks, bsize } = statfsSync(path)
    // Some file systems that are not disks report zeros.
    return blocks > 0 ? { size: blocks * bsize, free: bavail * bsize } : undefined
  } catch {
    return undefined
  }
}

const mb = 1_048_576

/** The minimum space that stays free: some files of the write-ahead log. */
export const leastReserve = 4 * mb

/**
 * A tenth of the file system, at most 64 MB: room for the largest statement, for the writes of a reading statement, and
 * for what other programs write meanwhile.
 */
const reserveOf = (size: number): number => Math.min(64 * mb, Math.max(leastReserve, size / 10))

/** Writes are possible again once the reserve times this factor is free, so that more than one statement succeeds. */
const healed = 1.25

/** The space that stays free on the disk of an embedded database. */
export interface Reserve {
  /** Checks whether less space is free than the reserve. False if the free space is unknown. */
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

/**
 * Returns the transaction status at the end of a response; undefined while the session waits for more of the same
 * request.
 */
const statusAfter = (answer: Buffer): number | undefined => {
  const at = answer.length - readyBytes
  return at >= 0 && answer[at] === type.readyForQuery && answer.readUInt32BE(at + 1) === readyBytes - 1
    ? answer[answer.length - 1]
    : undefined
}

const readOnly = Buffer.from("C25006\0")
const diskFull = Buffer.from("C53100\0")

/** Replaces the code of each rejected write with that of a full disk. */
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

/** Sends complete messages to the one session, and returns its whole response. */
type Exchange = (messages: Uint8Array) => Promise<Buffer>

/**
 * Makes the session read-only while the reserve is touched. Writes then fail as on a full disk (SQLSTATE 53100). An
 * embedded database that cannot create the next file of its write-ahead log never returns, and blocks this process. A
 * transaction that has begun can then only end.
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
