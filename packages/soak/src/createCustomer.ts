import type { Customer } from "./load.ts"

const postAdmin = async (
  baseUrl: string,
  token: string,
  path: string,
  body: object
): Promise<Readonly<Record<string, unknown>>> => {
  const response = await fetch(`${baseUrl}/admin/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`)
  // The cast is safe, because the admin API responds with JSON objects.
  return await response.json() as Readonly<Record<string, unknown>>
}

export const createCustomer = async (
  baseUrl: string,
  token: string,
  { plan, scopes }: { readonly plan: string; readonly scopes: ReadonlyArray<string> }
): Promise<Customer> => {
  const { id } = await postAdmin(baseUrl, token, "/accounts", { name: "soak", plan })
  const { key } = await postAdmin(baseUrl, token, `/accounts/${String(id)}/keys`, {
    name: "soak",
    scopes,
    // The key never reaches the limit. A key with a limit makes every call count towards the key, too.
    monthly_credits: 1_000_000_000
  })
  return { account: Number(id), key: String(key) }
}
