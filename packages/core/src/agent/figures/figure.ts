import { Schema } from "effect"

const text = Schema.String.annotate({ description: "The number as the answer states it, with its unit" })
const offset = Schema.Int.annotate({ description: "Position of `text` in the answer, in UTF-16 code units" })
const path = Schema.String.annotate({
  description: "JSON pointer (RFC 6901) of the value in the call's result; the pointer of a list stands for its length"
})

const SourceOfFigure = {
  call: Schema.String.annotate({
    description: "`call_id` of the tool call, or `seed_context` for a fact of the request"
  }),
  path
}

/** A number of an answer, and the value of a tool's result that supports the number. */
export const Figure = Schema.Struct({
  text,
  offset,
  ...SourceOfFigure,
  minus: Schema.optionalKey(
    Schema.Struct(SourceOfFigure).annotate({
      description:
        "The second value, if the figure is the difference of two values, or their difference in percent of this value"
    })
  )
}).annotate({ identifier: "Figure" })
export type Figure = typeof Figure.Type

/** A number of an answer that no tool result supports. */
export const UnmatchedNumber = Schema.Struct({ text, offset }).annotate({ identifier: "UnmatchedNumber" })
export type UnmatchedNumber = typeof UnmatchedNumber.Type

/** The fields of a finished answer. Both are absent in answers that were not checked. */
export const figureFields = {
  figures: Schema.optionalKey(
    Schema.Array(Figure).annotate({ description: "The numbers that a tool result supports, in order" })
  ),
  unmatched: Schema.optionalKey(
    Schema.Array(UnmatchedNumber).annotate({ description: "The numbers that no tool result supports, in order" })
  )
}

/** The checked numbers of an answer. */
export interface CheckedFigures {
  readonly figures: ReadonlyArray<Figure>
  readonly unmatched: ReadonlyArray<UnmatchedNumber>
}

/** The call of figures that the request's `seed_context` supports. */
export const factsCall = "seed_context"
