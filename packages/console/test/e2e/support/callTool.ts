import type { TestEnvironment } from "./environment.ts"

type Fields = Readonly<Record<string, unknown>>

/** Sends a request with an API key, as a program does, and returns the parsed response. */
export const postJson = async (
  { url }: Pick<TestEnvironment, "url">,
  key: string,
  path: string,
  body: object
): Promise<Fields> => {
  const response = await fetch(`${url}/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  // The cast is safe because the requested routes return JSON objects.
  return await response.json() as Fields
}

export const callTool = (
  environment: Pick<TestEnvironment, "url">,
  key: string,
  name: string,
  args: object
): Promise<Fields> => postJson(environment, key, `/tools/${name}`, args)
