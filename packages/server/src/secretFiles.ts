import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from "node:fs"
import { dirname } from "node:path"

/**
 * The environment variables that contain secrets, or whose variant `<name>_FILE` names a file that contains the secret.
 */
export const secretVariables = [
  "DATABASE_URL",
  "DATABASE_DIRECT_URL",
  "REDIS_URL",
  "TAPELINE_ADMIN_TOKEN",
  "TAPELINE_OPENID_CLIENT_SECRET",
  "TAPELINE_ECOS_KEY",
  "TAPELINE_OPENDART_KEY",
  "OPENAI_API_KEY",
  "OTEL_EXPORTER_OTLP_HEADERS"
] as const

export const fileVariable = (secret: string): string => `${secret}_FILE`

/**
 * Returns the name of a secret's environment variable for an error message, with the path of the secret's file if any.
 */
export const variableNameOf = (secret: string, environment: Readonly<Record<string, string | undefined>>): string => {
  const path = environment[fileVariable(secret)]
  return path ? `${fileVariable(secret)} (file ${JSON.stringify(path)})` : secret
}

interface Problem {
  readonly variable: string
  readonly message: string
}

/**
 * The maximum size of a secret's file, in bytes. The limit protects the server's memory if the path names a wrong file,
 * such as a device.
 */
const maxBytes = 65_536

class UnusableFile extends Error {}

/**
 * Returns the first bytes of a regular file, at most `maxBytes` + 1, without waiting for the writer of a named pipe.
 */
const readFirstBytes = (path: string): Uint8Array => {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!fstatSync(descriptor).isFile()) throw new UnusableFile("is not a regular file")
    const buffer = new Uint8Array(maxBytes + 1)
    let length = 0
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      read = readSync(descriptor, buffer, length, buffer.length - length, null)
    }
    return buffer.subarray(0, length)
  } finally {
    closeSync(descriptor)
  }
}

/** Reads a secret from a file: one line of UTF-8 text, without trailing newlines. */
const readSecret = (path: string): string => {
  const bytes = readFirstBytes(path)
  if (bytes.length > maxBytes) throw new UnusableFile(`is larger than ${maxBytes} bytes`)
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/[\r\n]+$/, "")
  if (text === "") throw new UnusableFile("is empty")
  // Without the check, a line break inside a URL would be lost silently.
  if (/\p{Cc}/u.test(text)) throw new UnusableFile("contains a control character or more than one line")
  return text
}

const readErrorReason = (error: unknown): string => {
  if (error instanceof UnusableFile) return error.message
  const code = error instanceof Error && "code" in error ? error.code : undefined
  return code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "is not UTF-8 text" : `cannot be read (${String(code)})`
}

/**
 * Returns a path with a leading space, for an error message. Returns an empty text if the path's folder does not exist,
 * because the user may have passed the secret instead of a path.
 */
const displayPath = (path: string): string => {
  const folder = dirname(path)
  const isPath = existsSync(path) || (![".", "/"].includes(folder) && existsSync(folder))
  return isPath ? ` ${JSON.stringify(path)}` : ""
}

interface SecretFiles {
  /** The environment variables, including the secrets that were read from files. */
  readonly environment: Readonly<Record<string, string>>
  readonly problems: ReadonlyArray<Problem>
  /** If a secret came from a file, names the `_FILE` variable in the problem instead of the original variable. */
  readonly attributeToFile: (problem: Problem) => Problem
}

export const withSecretFiles = (
  environment: Readonly<Record<string, string>>,
  secrets: ReadonlyArray<string> = secretVariables
): SecretFiles => {
  const resolved: Record<string, string> = { ...environment }
  const problems: Array<Problem> = []
  const paths = new Map<string, string>()
  for (const secret of secrets) {
    const variable = fileVariable(secret)
    const path = resolved[variable]
    delete resolved[variable]
    if (path === undefined) continue
    if (Object.hasOwn(resolved, secret)) {
      problems.push({ variable, message: `${secret} is set too; unset one of the two` })
      continue
    }
    try {
      resolved[secret] = readSecret(path)
      paths.set(secret, path)
    } catch (error) {
      const reason = `the file${displayPath(path)} ${readErrorReason(error)}`
      problems.push({
        variable,
        message: `${reason}; set the variable to the path of a file that contains only the secret`
      })
    }
  }
  const attributeToFile = (problem: Problem): Problem => {
    const path = paths.get(problem.variable)
    if (path === undefined) return problem
    return { variable: fileVariable(problem.variable), message: `${problem.message} (file ${JSON.stringify(path)})` }
  }
  return { environment: resolved, problems, attributeToFile }
}
