import { Schema } from "effect"
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { pipeline } from "node:stream"
import { createGunzip } from "node:zlib"
import {
  BackupDescription,
  BackupEnd,
  type BackupSummary,
  databaseFolder,
  descriptionPath,
  endPath,
  fileNamePattern,
  formatVersion
} from "./format.ts"
import { blockBytes, decodeHeader, paddingOf, type TarHeader } from "./tar.ts"

/** Receives the folders and files of an archive, in order. Paths are relative to the folder of the database. */
export interface ArchiveTarget {
  readonly addFolder: (path: string) => Promise<void>
  readonly addFile: (path: string, chunks: AsyncIterable<Buffer>) => Promise<void>
}

/** The file is not a complete archive of a database. `message` is a sentence without the name of the file. */
export class UnusableArchive extends Error {}

const truncated = () => new UnusableArchive("The file is incomplete: its end is missing.")
const damaged = (reason: string) => new UnusableArchive(`The file is damaged: ${reason}.`)

/** Reads exact numbers of bytes from chunks of any length. */
class ByteReader {
  #chunk: Buffer = Buffer.alloc(0)
  readonly #chunks: AsyncIterator<Buffer>

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** Returns the next bytes, at most `size`. Throws at the end of the chunks. */
  async readSome(size: number): Promise<Buffer> {
    while (this.#chunk.length === 0) {
      const next = await this.#chunks.next()
      if (next.done === true) throw truncated()
      this.#chunk = next.value
    }
    const part = this.#chunk.subarray(0, size)
    this.#chunk = this.#chunk.subarray(part.length)
    return part
  }

  async read(size: number): Promise<Buffer> {
    const parts: Array<Buffer> = []
    for (let missing = size; missing > 0; missing -= parts.at(-1)!.length) parts.push(await this.readSome(missing))
    return Buffer.concat(parts)
  }
}

const relativePath = (path: string): string => {
  const inside = path.startsWith(`${databaseFolder}/`) ? path.slice(databaseFolder.length + 1) : ""
  if (!inside.split("/").every((name) => fileNamePattern.test(name))) throw damaged("it has an unexpected entry")
  return inside
}

const decodeDescription = Schema.decodeUnknownOption(BackupDescription)
const decodeEnd = Schema.decodeUnknownOption(BackupEnd)

const parseJson = (content: Buffer): unknown => {
  try {
    return JSON.parse(content.toString())
  } catch {
    throw damaged("an entry is not JSON")
  }
}

/** The maximum size of the first and the last entry. */
const maxTextBytes = 1_048_576

const readEntries = async (
  input: AsyncIterable<Buffer>,
  onDescription: (description: BackupDescription) => void,
  target: ArchiveTarget | undefined
): Promise<BackupSummary> => {
  const reader = new ByteReader(input)
  const hash = createHash("sha256")
  let [files, bytes] = [0, 0]

  const readHeader = async (): Promise<{ readonly block: Buffer; readonly header: TarHeader }> => {
    const block = await reader.read(blockBytes)
    const header = decodeHeader(block)
    if (header === undefined) throw damaged("an entry has no valid header")
    return { block, header }
  }
  const readText = async ({ bytes }: TarHeader): Promise<Buffer> => {
    if (bytes > maxTextBytes) throw damaged("an entry is too large")
    return await reader.read(bytes)
  }
  async function* chunksOf(size: number): AsyncGenerator<Buffer> {
    for (let missing = size; missing > 0;) {
      const chunk = await reader.readSome(missing)
      hash.update(chunk)
      missing -= chunk.length
      yield chunk
    }
  }

  const first = await readHeader()
  if (first.header.path !== descriptionPath) throw new UnusableArchive("The file is not a backup of Tapeline.")
  const text = await readText(first.header)
  const description = parseJson(text)
  const { version } = Object(description)
  if (typeof version === "number" && version > formatVersion) {
    throw new UnusableArchive("The file was written by a newer version of Tapeline. Restore it with that version.")
  }
  const decoded = decodeDescription(description)
  if (decoded._tag === "None") throw damaged("its description is not valid")
  onDescription(decoded.value)
  hash.update(first.block).update(text).update(await reader.read(paddingOf(text.length).length))

  for (;;) {
    const { block, header } = await readHeader()
    if (header.path === endPath) {
      const end = decodeEnd(parseJson(await readText(header)))
      if (end._tag === "None") throw damaged("its last entry is not valid")
      const { value } = end
      if (value.sha256 !== hash.digest("hex") || value.files !== files || value.bytes !== bytes) {
        throw damaged("its checksum is wrong")
      }
      return { ...value, description: decoded.value }
    }
    hash.update(block)
    if (header.isFolder) {
      if (header.path !== databaseFolder) await target?.addFolder(relativePath(header.path))
      continue
    }
    const path = relativePath(header.path)
    const chunks = chunksOf(header.bytes)
    if (target === undefined) { for await (const _ of chunks); }
    else await target.addFile(path, chunks)
    hash.update(await reader.read(paddingOf(header.bytes).length))
    if (path !== "backup_label") {
      files++
      bytes += header.bytes
    }
  }
}

const isZlibError = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" && cause.code.startsWith("Z_")

/**
 * Reads a compressed archive completely, and checks it. `onDescription` may throw to reject the archive before its
 * files are read. Throws `UnusableArchive` unless the archive is complete and undamaged.
 */
export const readArchive = async (
  file: string,
  onDescription: (description: BackupDescription) => void,
  target?: ArchiveTarget
): Promise<BackupSummary> => {
  const gunzip = createGunzip()
  // Failures of the stream are thrown by its iterator.
  const input = pipeline(createReadStream(file), gunzip, () => undefined)
  try {
    const summary = await readEntries(input, onDescription, target)
    // The checksum of the compression is at the end of the file.
    for await (const _ of input);
    return summary
  } catch (cause) {
    if (!isZlibError(cause)) throw cause
    const code = Object(cause).code
    throw code === "Z_BUF_ERROR" ? truncated() : damaged("it cannot be decompressed")
  } finally {
    gunzip.destroy()
  }
}
