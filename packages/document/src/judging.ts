import { afterAll, afterEach } from "vitest"
import { startRecording, takeRecorded } from "./fetchRecorder.ts"
import { type Json, OpenApiDocument } from "./OpenApiDocument.ts"
import { type RecordedResponse, validateResponse } from "./responseValidation.ts"

const lazyDocument = (document: () => Json): () => OpenApiDocument => {
  let cached: OpenApiDocument | undefined
  return () => cached ??= new OpenApiDocument(document())
}

const addedResponses: Array<RecordedResponse> = []

const otherDocuments: Array<() => OpenApiDocument> = []
const ignoredPaths = new Set<string>()

/** Skips responses of other services at these paths that this file's tests also call. */
export const ignorePaths = (...paths: ReadonlyArray<string>): void => {
  for (const path of paths) ignoredPaths.add(path)
}

/** Also accepts responses that match one of these documents, for servers whose API differs from the usual one. */
export const acceptOtherDocuments = (...documents: ReadonlyArray<() => Json>): void =>
  void otherDocuments.push(...documents.map(lazyDocument))

/** Discards the responses since the last check, so that a test with many responses does not fill the memory. */
export const discardResponses = (): void => void takeRecorded()

/** Adds responses that a test received over its own socket. */
export const addResponses = (responses: ReadonlyArray<RecordedResponse>): void => void addedResponses.push(...responses)

/**
 * Checks every response that a test receives against the document, and fails a test that received an undescribed
 * response. For a setup file of tests. The document is loaded once, when the first response is checked.
 */
export const validateResponses = (document: () => Json): void => {
  startRecording()
  otherDocuments.length = 0
  ignoredPaths.clear()
  const description = lazyDocument(document)
  const validateRecorded = (): void => {
    const responses = [...takeRecorded(), ...addedResponses.splice(0)].filter(({ path }) => !ignoredPaths.has(path))
    if (responses.length === 0) return
    const openApiDocument = description()
    const errors = new Set(responses.flatMap((response) => {
      const responseErrors = validateResponse(openApiDocument, response)
      return responseErrors.length > 0 &&
          otherDocuments.some((other) => validateResponse(other(), response).length === 0)
        ? []
        : responseErrors
    }))
    if (errors.size > 0) throw new Error(`The document does not describe what came:\n${[...errors].join("\n")}`)
  }
  afterEach(validateRecorded)
  afterAll(validateRecorded)
}
