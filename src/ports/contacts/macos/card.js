// Prints cards of Contacts as JSON: the owner's own, or those that the first argument names.
function run(argv) {
  const app = Application("Contacts");
  const text = (get) => { try { return String(get() ?? ""); } catch { return ""; } };
  const list = (get, make) => { try { return get().map(make); } catch { return []; } };
  const labelled = (item) => ({ label: text(() => item.label()), value: text(() => item.value()) });
  const address = (item) => ({
    label: text(() => item.label()),
    parts: ["street", "city", "state", "zip", "country"].map((part) => text(() => item[part]())),
  });
  const card = (person) => ({
    given: text(() => person.firstName()),
    family: text(() => person.lastName()),
    email: list(() => person.emails(), labelled),
    phone: list(() => person.phones(), labelled),
    address: list(() => person.addresses(), address),
    organization: text(() => person.organization()),
    jobTitle: text(() => person.jobTitle()),
  });
  const wanted = (argv[0] ?? "").trim().toLowerCase();
  if (wanted === "") {
    const own = app.myCard();
    return JSON.stringify(own ? [card(own)] : []);
  }
  // One question for the names and addresses of everybody, instead of one for each person.
  const names = app.people.name();
  const emails = app.people.emails.value();
  const found = [];
  for (let i = 0; i < names.length && found.length < 20; i += 1) {
    const words = String(names[i] ?? "").toLowerCase().split(/\s+/);
    const named = wanted.split(/\s+/).every((word) => words.includes(word));
    const mailed = (emails[i] ?? []).some((email) => String(email).toLowerCase() === wanted);
    if (named || mailed) found.push(card(app.people[i]));
  }
  return JSON.stringify(found);
}
