/* The format ustar, for entries with short ASCII paths, without links. */

export const blockBytes = 512

/** The number of blocks of zeros that end an archive. */
const endBlocks = 2

export interface TarHeader {
  readonly path: string
  readonly isFolder: boolean
  readonly bytes: number
}

const maxPathLength = 99
const folderType = "5".charCodeAt(0)
const fileType = "0".charCodeAt(0)

const field = { mode: 100, owner: 108, group: 116, size: 124, time: 136, checksum: 148, type: 156, magic: 257 }
const checksumLength = 8

const writeOctal = (block: Buffer, value: number, offset: number, digits: number): void => {
  block.write(value.toString(8).padStart(digits, "0"), offset, "latin1")
}

const sumBytes = (block: Buffer): number => {
  let sum = checksumLength * 0x20
  for (const [i, byte] of block.entries()) {
    if (i < field.checksum || i >= field.checksum + checksumLength) sum += byte
  }
  return sum
}

/** Returns the header of an entry, which only the owner can read after extraction. */
export const encodeHeader = ({ bytes, isFolder, path }: TarHeader, modifiedAt: number): Buffer => {
  const name = isFolder ? `${path}/` : path
  if (name.length > maxPathLength) throw new RangeError(`The path ${path} is too long for an archive`)
  const block = Buffer.alloc(blockBytes)
  block.write(name, 0, "latin1")
  writeOctal(block, isFolder ? 0o700 : 0o600, field.mode, 7)
  writeOctal(block, 0, field.owner, 7)
  writeOctal(block, 0, field.group, 7)
  writeOctal(block, bytes, field.size, 11)
  writeOctal(block, Math.floor(modifiedAt / 1000), field.time, 11)
  block[field.type] = isFolder ? folderType : fileType
  block.write("ustar\u000000", field.magic, "latin1")
  writeOctal(block, sumBytes(block), field.checksum, 6)
  block[field.checksum + 7] = 0x20
  return block
}

/** Returns the zeros that follow the content of an entry up to the next block. */
export const paddingOf = (bytes: number): Buffer => Buffer.alloc((blockBytes - bytes % blockBytes) % blockBytes)

export const archiveEnd = Buffer.alloc(endBlocks * blockBytes)

const readText = (block: Buffer, offset: number, length: number): string => {
  const text = block.toString("latin1", offset, offset + length)
  const end = text.indexOf("\0")
  return end < 0 ? text : text.slice(0, end)
}

/** Returns the header in a block, or undefined if the block is not a valid header of a file or folder. */
export const decodeHeader = (block: Buffer): TarHeader | undefined => {
  const readOctal = (offset: number, length: number) => Number.parseInt(readText(block, offset, length).trim(), 8)
  const type = block[field.type]
  const bytes = readOctal(field.size, 12)
  if (
    readText(block, field.magic, 5) !== "ustar" || readOctal(field.checksum, checksumLength) !== sumBytes(block) ||
    (type !== folderType && type !== fileType) || !Number.isSafeInteger(bytes) || bytes < 0
  ) return undefined
  const isFolder = type === folderType
  return { path: readText(block, 0, maxPathLength + 1).replace(/\/$/u, ""), isFolder, bytes: isFolder ? 0 : bytes }
}
