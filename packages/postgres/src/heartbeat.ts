import { Worker } from "node:worker_threads"

/** A lock's heartbeat, which goes on until it is stopped. */
export interface Beating {
  readonly stop: () => Promise<void>
}

/**
 * Changes the file every beat, and looks whether it is still the same file. In a thread of its own, for the embedded
 * database blocks the first one while it works; as plain text, so that it needs no file beside this one once built. The
 * thread ends with its process, and so do the beats. A file that is not there is looked for once more, since a process
 * that mistook the lock for a dead one's puts it back at once.
 */
const beats = `
const { parentPort, workerData } = require("node:worker_threads")
const { closeSync, fstatSync, openSync, statSync, writeSync } = require("node:fs")
const { beatMs, head, inode, lockFile } = workerData
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
  // It may have been replaced since it was looked at: what is not ours is not written to.
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
    // A disk that is full or slow for a moment is no loss of the lock; the next beat tries again.
  }
}
const timer = setInterval(next, beatMs)
next()
parentPort.on("message", () => {
  clearInterval(timer)
  if (file !== undefined) closeSync(file)
  parentPort.close()
})
`

/** A lock that is held: its file, which file of that name it is, and what it says before the number of the beat. */
export interface HeldFile {
  readonly lockFile: string
  readonly inode: bigint
  readonly head: string
  readonly beatMs: number
}

/** Starts the heartbeat of a lock that is held. */
export const startBeating = (held: HeldFile, onLost: () => void): Beating => {
  const worker = new Worker(beats, { eval: true, workerData: held, execArgv: [], stdout: false })
  const ended = new Promise<void>((resolve) => void worker.once("exit", () => resolve()))
  worker.on("message", onLost)
  // Without its beats nobody may rely on the lock.
  worker.on("error", onLost)
  worker.unref()
  return {
    stop: async () => {
      // What is waited for now must keep the process alive.
      worker.ref()
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
      worker.postMessage("stop")
      await ended
    }
  }
}
