import type { AdminAccount } from "@tapeline/client/admin"
import { SearchX } from "lucide-react"
import { type SubmitEvent, useMemo, useState } from "react"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { navigate, setQuery, useLocation } from "../../router/location.ts"
import { Button } from "../../widgets/Button.tsx"
import { type DataColumn, DataTable } from "../../widgets/DataTable.tsx"
import { TextInput } from "../../widgets/fields.tsx"
import { PageHeader, Panel } from "../../widgets/layout.tsx"
import lists from "../../widgets/lists.module.css"
import { RequestView } from "../../widgets/RequestView.tsx"
import { EmptyState, Skeleton } from "../../widgets/states.tsx"
import { accountPath } from "./accountPath.ts"
import { AccountStatusBadge } from "./AccountStatusBadge.tsx"
import { accountTexts } from "./accountTexts.ts"
import { useAdminRequest } from "./adminAccess.tsx"
import styles from "./AdminPage.module.css"
import { Pager } from "./Pager.tsx"
import { parseCursor, parseId } from "./queryParameters.ts"

const SearchForm = ({ externalId }: { readonly externalId: string }) => {
  const texts = useTexts(accountTexts)
  const [text, setText] = useState(externalId)
  const [idText, setIdText] = useState("")
  const [fault, setFault] = useState<string>()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setFault(undefined)
    if (idText.trim() === "") return setQuery({ external_id: text.trim(), cursor: undefined })
    const id = parseId(idText.trim())
    if (id === undefined) setFault(texts.accountIdWrong)
    else navigate(accountPath(id))
  }
  return (
    <form className={styles["filters"]} onSubmit={submit}>
      <TextInput label={texts.externalId} value={text} onChange={setText} />
      <TextInput label={texts.accountId} value={idText} onChange={setIdText} keyboard="numeric" fault={fault} />
      <Button type="submit">{texts.find}</Button>
    </form>
  )
}

const useAccountColumns = (): ReadonlyArray<DataColumn<AdminAccount>> => {
  const texts = useTexts(accountTexts)
  const { day } = useNumbers()
  return useMemo(() => [
    {
      id: "id",
      title: texts.accountId,
      isNumber: true,
      isMinor: true,
      cell: ({ id }) => id
    },
    {
      id: "name",
      title: texts.name,
      isHead: true,
      cell: ({ created_at, external_id, id, name, plan, status }) => (
        <>
          <span className={`medium ${styles["name"]}`}>{name}</span>
          <span className={lists["under"]}>
            <AccountStatusBadge status={status} />
            <span>{id}</span>
            <code className={styles["breakable"]}>{plan}</code>
            {external_id !== null && <code className={styles["breakable"]}>{external_id}</code>}
            <span>{day(created_at)}</span>
          </span>
        </>
      )
    },
    {
      id: "external id",
      title: texts.externalId,
      isMinor: true,
      cell: ({ external_id }) => <code className={styles["breakable"]}>{external_id ?? "–"}</code>
    },
    { id: "plan", title: texts.plan, isMinor: true, cell: ({ plan }) => <code className="nowrap">{plan}</code> },
    {
      id: "status",
      title: texts.status,
      isMinor: true,
      cell: ({ status }) => <AccountStatusBadge status={status} />
    },
    {
      id: "created",
      title: texts.created,
      isMinor: true,
      cell: ({ created_at }) => <span className="nowrap">{day(created_at)}</span>
    }
  ], [texts, day])
}

/** The list of accounts, with a search by external id and by number. */
export const AccountsPage = () => {
  const texts = useTexts(accountTexts)
  const { query } = useLocation()
  const externalId = query.get("external_id") ?? ""
  const cursor = parseCursor(query.get("cursor"))
  const filter = { cursor, limit: 50, external_id: externalId === "" ? undefined : externalId }
  const accounts = useAdminRequest(["accounts", filter], (client, options) => client.accounts(filter, options))
  const columns = useAccountColumns()
  return (
    <>
      <PageHeader title={texts.title}>{texts.lead}</PageHeader>
      <SearchForm key={externalId} externalId={externalId} />
      <RequestView request={accounts} placeholder={<Skeleton lines={8} />}>
        {({ accounts, next_cursor }) => (
          <>
            <Panel isFlush>
              <DataTable
                label={texts.title}
                rows={accounts}
                columns={columns}
                rowId={({ id }) => id}
                href={({ id }) => accountPath(id)}
                empty={<EmptyState icon={SearchX} title={texts.none}>{texts.noneDetail}</EmptyState>}
              />
            </Panel>
            <Pager next={next_cursor} />
          </>
        )}
      </RequestView>
    </>
  )
}
