import { type PgClient, PgTypes } from "@effect/sql-pg"
import type { StoredImage } from "@tapeline/core/agent"
import { Effect, Result } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { bigints } from "../parameters.ts"

/** The size of an image piece in bytes, far below the largest row that the PostgreSQL client accepts. */
const pieceBytes = 1_048_576

/** The maximum number of image pieces in a statement. */
const pieceBatch = 8

const insertPieces = `insert into message_images (account, message, image, piece, media_type, width, height, bytes)
  select $1::bigint, $2::bigint, $3::integer, p.piece, $4, $5::integer, $6::integer, p.bytes
  from unnest($7::integer[], $8::bytea[]) as p (piece, bytes)`

/** Stores the images of a message, within the transaction that stores the message. */
export const insertImages = (
  sql: PgClient.PgClient,
  account: number,
  message: number,
  images: ReadonlyArray<StoredImage>
): Effect.Effect<void, SqlError> =>
  Effect.forEach(images, ({ bytes, height, mediaType, width }, image) => {
    const count = Math.max(1, Math.ceil(bytes.length / pieceBytes))
    const batches = Array.from({ length: Math.ceil(count / pieceBatch) }, (_, i) => i * pieceBatch)
    return Effect.forEach(batches, (from) => {
      const pieceIndexes = Array.from({ length: Math.min(pieceBatch, count - from) }, (_, i) => from + i)
      const pieces = pieceIndexes.map((piece) => bytes.subarray(piece * pieceBytes, (piece + 1) * pieceBytes))
      return sql.unsafe(insertPieces, [
        String(account),
        String(message),
        String(image),
        mediaType,
        String(width),
        String(height),
        bigints(pieceIndexes),
        Result.getOrThrow(PgTypes.array(pieces, PgTypes.OID.bytea))
      ])
    }, { discard: true })
  }, { discard: true })

interface PieceRow {
  readonly image: number
  readonly media_type: StoredImage["mediaType"]
  readonly width: number
  readonly height: number
  readonly bytes: Uint8Array
}

const selectPieces = `select image, media_type, width, height, bytes from message_images
  where account = $1::bigint and message = $2::bigint order by image, piece`

export const readImages = (
  sql: PgClient.PgClient,
  account: number,
  message: number
): Effect.Effect<ReadonlyArray<StoredImage>, SqlError> =>
  Effect.map(
    sql.unsafe<PieceRow>(selectPieces, [String(account), String(message)]),
    (rows) =>
      [...Map.groupBy(rows, ({ image }) => image).values()].map((pieces) => {
        const { height, media_type, width } = pieces[0]! // every group has at least one row
        return {
          mediaType: media_type,
          width,
          height,
          bytes: new Uint8Array(Buffer.concat(pieces.map((row) => row.bytes)))
        }
      })
  )
