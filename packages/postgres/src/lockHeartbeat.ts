import { Worker } from "node:worker_threads"

export interface Heartbeat {
  readonly stop: () => Promise<void>
}

/**
 * The code of the heartbeat thread, which changes the lock file with every beat and detects a replaced lock file. The
 * heartbeat needs a separate thread, because a working embedded database blocks the main thread. The code is a string,
 * so that the published package needs no separate worker file. A missing lock file counts as a lost lock only at the
 * second check. A process that removes another process's lock file by mistake restores the file at once.
 */
const heartbeatWorkerCode = `
const { parentPort, workerData } = require("node:worker_threads")
const { closeSync, fstatSync, openSync, statSync, writeSync } = require("node:fs")
const { head, heartbeatMs, inode, lockFile } = workerData
let missing = 0
let beat = 0
let file
const isLost = () => {
  const found = statSync(lockFile, { bigint: true, throwIfNoEntry: false })
  missing = found === undefined ? missing + 1 : 0
  return found === undefined ? missing >= 2 : found.ino !== inode
}
const write = () => {
  file ??= openSync(lockFile, "r+")
  // Another process may have replaced the lock file since the check, and its file must not be overwritten.
  if (fstatSync(file, { bigint: true }).ino === inode) {
    writeSync(file, head + String(++beat).padStart(12, "0") + "\\n", 0)
  } else {
    closeSync(file)
    file = undefined
  }
}
const next = () => {
  try {
    if (isLost()) {
      clearInterval(timer)
      parentPort.postMessage("lost")
    } else if (missing === 0) write()
  } catch {
    // A full or slow disk does not mean that the lock is lost. The next heartbeat tries again.
  }
}
const timer = setInterval(next, heartbeatMs)
next()
parentPort.on("message", () => {
  clearInterval(timer)
  if (file !== undefined) closeSync(file)
  parentPort.close()
})
`

/** A lock that the current process holds. `head` is the content of the lock file before the heartbeat counter. */
export interface HeldLockFile {
  readonly lockFile: string
  readonly inode: bigint
  readonly head: string
  readonly heartbeatMs: number
}

export const startHeartbeat = (heldLock: HeldLockFile, onLost: () => void): Heartbeat => {
  const worker = new Worker(heartbeatWorkerCode, { eval: true, workerData: heldLock, execArgv: [], stdout: false })
  const ended = new Promise<void>((resolve) => void worker.once("exit", () => resolve()))
  worker.on("message", onLost)
  // Without the heartbeat thread, the process must not rely on the lock.
  worker.on("error", onLost)
  worker.unref()
  return {
    stop: async () => {
      // The process must stay alive until the heartbeat thread has ended.
      worker.ref()
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
      worker.postMessage("stop")
      await ended
    }
  }
}
