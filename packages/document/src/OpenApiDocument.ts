import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"

/** A JSON object of an OpenAPI document. */
export type Json = Record<string, any>

/** An operation of an OpenAPI document, with a JSON pointer to the operation. */
export interface Operation {
  readonly pointer: ReadonlyArray<string>
  readonly responses: Json
}

interface PathTemplate {
  readonly path: string
  readonly segments: ReadonlyArray<string>
  readonly item: Json
}

const escapePointer = (name: string): string => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))

const matchesPath = ({ segments }: PathTemplate, requestSegments: ReadonlyArray<string>): boolean =>
  segments.length === requestSegments.length &&
  segments.every((segment, i) => segment.startsWith("{") ? requestSegments[i] !== "" : segment === requestSegments[i])

/** Validates response bodies against the JSON schemas of an OpenAPI document. Each schema is compiled on first use. */
export class OpenApiDocument {
  readonly #document: Json
  readonly #paths: ReadonlyArray<PathTemplate>
  readonly #ajv: Ajv2020
  readonly #validators = new Map<string, ValidateFunction>()

  constructor(document: Json) {
    this.#document = document
    this.#paths = Object.entries<Json>(document["paths"])
      .map(([path, item]) => ({ path, segments: path.split("/"), item }))
      // Literal paths take precedence over paths with parameters, as in routers.
      .sort((a, b) => Number(a.path.includes("{")) - Number(b.path.includes("{")))
    this.#ajv = new Ajv2020({
      // Ajv is not in strict mode, because strict mode rejects the keywords that OpenAPI adds to JSON Schema.
      strict: false,
      validateFormats: false,
      validateSchema: false,
      // Each schema validates only a few values, so generating optimised code would take longer than the validation.
      code: { optimize: false },
      inlineRefs: false
    })
    this.#ajv.addSchema(document, "document")
  }

  #findPath(path: string): PathTemplate | undefined {
    const segments = path.split("/")
    return this.#paths.find((template) => matchesPath(template, segments))
  }

  /** Returns the operation that handles a method and a path, or undefined if the document has no such operation. */
  findOperation(method: string, path: string): Operation | undefined {
    const pathMatch = this.#findPath(path)
    const name = method.toLowerCase()
    const responses = pathMatch?.item[name]?.responses
    return pathMatch === undefined || responses === undefined
      ? undefined
      : { pointer: ["paths", pathMatch.path, name], responses }
  }

  /** Returns the sorted methods of a path in the form of the `allow` header. */
  allowedMethods(path: string): ReadonlyArray<string> {
    const methods = new Set(Object.keys(this.#findPath(path)?.item ?? {}).map((method) => method.toUpperCase()))
    if (methods.has("GET")) methods.add("HEAD")
    return [...methods].sort()
  }

  /**
   * Resolves a `$ref` to its target and to the JSON pointer of the target. Returns a value without `$ref` unchanged.
   */
  resolve(value: Json, pointer: ReadonlyArray<string>): readonly [value: Json, pointer: ReadonlyArray<string>] {
    const { $ref } = value
    if (typeof $ref !== "string") return [value, pointer]
    const target = $ref.slice(2).split("/")
    return this.resolve(target.reduce((at: Json, name) => at[name], this.#document), target)
  }

  /** Returns the JSON pointer of the shared error response with the given status and error code. */
  findProblemResponse(status: number, code: string): ReadonlyArray<string> | undefined {
    const response = Object.entries<Json>(this.#document["components"].responses).find(([, { content }]) => {
      const examples: Json = content["application/problem+json"].examples
      return examples[code]?.value.status === status
    })
    return response === undefined ? undefined : ["components", "responses", response[0]]
  }

  /**
   * Returns the schema errors of a JSON value as text, or undefined if the value matches the schema at a JSON pointer.
   */
  validate(pointer: ReadonlyArray<string>, value: unknown): string | undefined {
    const $ref = `document#/${pointer.map(escapePointer).join("/")}`
    let validator = this.#validators.get($ref)
    if (validator === undefined) {
      validator = this.#ajv.compile({ $ref })
      this.#validators.set($ref, validator)
    }
    if (validator(value)) return undefined
    return this.#ajv.errorsText(validator.errors, { dataVar: "" })
  }
}
