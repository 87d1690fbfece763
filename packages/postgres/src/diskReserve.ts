import { statfsSync } from "node:fs"

/** The size of a file system, and the space that is free for this user, in bytes. */
export interface DiskSpace {
  readonly size: number
  readonly free: number
}

/**
 * Returns the room on the file system of a path; undefined if it is unknown. The query is synchronous and delays each
 * write of the embedded database. An asynchronous query could wait while all threads of Node look up names, and the
 * free space would be unknown meanwhile.
 */
export const makeDiskSpaceReader = (path: string) => (): DiskSpace | undefined => {
  try {
    const { bavail, blocks, bsize } = statfsSync(path)
    // Some file systems that are not disks report zeros.
    return blocks > 0 ? { size: blocks * bsize, free: bavail * bsize } : undefined
  } catch {
    return undefined
  }
}

const bytesPerMb = 1_048_576

/** The minimum space that stays free: some files of the write-ahead log. */
export const minReserveBytes = 4 * bytesPerMb

/**
 * A tenth of the file system, at most 64 MB: room for the largest statement, for the writes of a reading statement, and
 * for what other programs write meanwhile.
 */
const toReserveBytes = (size: number): number => Math.min(64 * bytesPerMb, Math.max(minReserveBytes, size / 10))

/** Writes are possible again once the reserve times this factor is free, so that more than one statement succeeds. */
const recoveryFactor = 1.25

/** The space that stays free on the disk of an embedded database. */
export interface DiskReserve {
  /** Checks whether less space is free than the reserve. False if the free space is unknown. */
  readonly isLow: () => boolean
}

export const makeDiskReserve = (readDiskSpace: () => DiskSpace | undefined): DiskReserve => {
  let wasLow = false
  return {
    isLow: () => {
      const diskSpace = readDiskSpace()
      wasLow = diskSpace !== undefined &&
        diskSpace.free < toReserveBytes(diskSpace.size) * (wasLow ? recoveryFactor : 1)
      return wasLow
    }
  }
}

const messageType = { errorResponse: 0x45, query: 0x51, readyForQuery: 0x5a }
const transactionStatus = { idle: 0x49, inTransaction: 0x54 }

const encodeQuery = (text: string): Uint8Array => {
  const message = Buffer.alloc(text.length + 6)
  message[0] = messageType.query
  message.writeUInt32BE(text.length + 5, 1)
  message.write(text, 5, "latin1")
  return message
}

/** The bytes of a ReadyForQuery. */
const readyForQueryBytes = 6

/**
 * Returns the transaction status at the end of a response; undefined while the session waits for more of the same
 * request.
 */
const readTransactionStatus = (response: Buffer): number | undefined => {
  const offset = response.length - readyForQueryBytes
  return offset >= 0 && response[offset] === messageType.readyForQuery &&
      response.readUInt32BE(offset + 1) === readyForQueryBytes - 1
    ? response[response.length - 1]
    : undefined
}

const readOnlyErrorCode = Buffer.from("C25006\0")
const diskFullErrorCode = Buffer.from("C53100\0")

/** Replaces the code of each rejected write with that of a full disk. */
const reportDiskFull = (response: Buffer): void => {
  for (let offset = 0; offset + 5 <= response.length;) {
    const end = offset + 1 + response.readUInt32BE(offset + 1)
    if (response[offset] === messageType.errorResponse) {
      const code = response.subarray(offset, end).indexOf(readOnlyErrorCode)
      if (code >= 0) diskFullErrorCode.copy(response, offset + code)
    }
    offset = end
  }
}

/** Sends complete messages to the one session, and returns its whole response. */
type SendMessages = (messages: Uint8Array) => Promise<Buffer>

/**
 * Makes the session read-only while the reserve is touched. Writes then fail as on a full disk (SQLSTATE 53100). An
 * embedded database that cannot create the next file of its write-ahead log never returns, and blocks this process. A
 * transaction that has begun can then only end.
 */
export const withDiskReserve = (diskReserve: DiskReserve, send: SendMessages): SendMessages => {
  let isReadOnly = false
  let lastStatus: number | undefined
  return async (messages) => {
    const isLow = diskReserve.isLow()
    if (lastStatus === transactionStatus.idle && isLow !== isReadOnly) {
      await send(encodeQuery(`set default_transaction_read_only = ${isLow ? "on" : "off"}`))
      isReadOnly = isLow
    }
    if (lastStatus === transactionStatus.inTransaction && isLow) await send(encodeQuery("set transaction read only"))
    const response = await send(messages)
    lastStatus = readTransactionStatus(response)
    if (isLow || isReadOnly) reportDiskFull(response)
    return response
  }
}
