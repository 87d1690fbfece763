const toRecord = (body: unknown): Readonly<Record<string, unknown>> =>
  // The cast is safe, because the type of every field is `unknown`, and callers check each field.
  typeof body === "object" && body !== null ? body as Readonly<Record<string, unknown>> : {}

const makeVector = (text: string, dimension: number): ReadonlyArray<number> => {
  let state = 2_166_136_261
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 16_777_619)
  return Array.from({ length: dimension }, () => {
    state = Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9 | 0
    return (state ^ (state >>> 13)) / 2 ** 31
  })
}

/** Returns an embeddings response in reverse order, because clients must read `index`. */
export const makeEmbeddingsResponse = (body: unknown, defaultDimension: number): unknown => {
  const { dimensions, input, model } = toRecord(body)
  const texts = Array.isArray(input) ? input : [input]
  const dimension = typeof dimensions === "number" ? dimensions : defaultDimension
  const data = texts.map((text, index) => ({
    object: "embedding",
    index,
    embedding: makeVector(String(text), dimension)
  }))
  return { object: "list", data: data.toReversed(), model, usage: { prompt_tokens: 1, total_tokens: 1 } }
}
