import { statfsSync } from "node:fs"

export interface DiskSpace {
  readonly size: number
  readonly free: number
}

/**
 * Creates a function that returns the space on the file system of a path, or undefined if the space is unknown. A
 * synchronous query works even while host name lookups occupy all of Node's threads.
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

/** The minimum free-space reserve in bytes. The minimum reserve has space for several files of the write-ahead log. */
export const minReserveBytes = 4 * bytesPerMb

/**
 * Returns the reserve of a file system in bytes: a tenth of the file system's size, at most 64 MB. The reserve has
 * space for the largest statement, disk writes of reads, and writes of other programs.
 */
export const toReserveBytes = (size: number): number => Math.min(64 * bytesPerMb, Math.max(minReserveBytes, size / 10))

/**
 * The free space at which writes resume, as a multiple of the reserve. The factor is above 1, so that several
 * statements can run before writes stop again.
 */
const recoveryFactor = 1.25

export interface DiskReserve {
  /** Returns whether less space is free than the reserve, or false if the free space is unknown. */
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

const readyForQueryBytes = 6

/** Returns the transaction status from the end of a response, or undefined without a final ReadyForQuery message. */
const readTransactionStatus = (response: Buffer): number | undefined => {
  const offset = response.length - readyForQueryBytes
  return offset >= 0 && response[offset] === messageType.readyForQuery &&
      response.readUInt32BE(offset + 1) === readyForQueryBytes - 1
    ? response[response.length - 1]
    : undefined
}

const readOnlyErrorCode = Buffer.from("C25006\0")
const diskFullErrorCode = Buffer.from("C53100\0")

/** Replaces the error code of each rejected write by the error code of a full disk. */
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

/** Sends complete messages to the session, and returns the complete response. */
type SendMessages = (messages: Uint8Array) => Promise<Buffer>

/**
 * Makes the session read-only while the free space is below the reserve. On a read-only session, writes fail with the
 * error of a full disk (SQLSTATE 53100). Without free space for the write-ahead log, an embedded database never
 * returns, and blocks the process.
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
