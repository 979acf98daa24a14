// Shows the repairs that match the filter; without scripts the page shows all of them.
const filter = document.getElementById("filter");
const [name, outcome, kind] = filter.querySelectorAll("input, select");
const problems = [...document.querySelectorAll(".problem")];

function apply() {
  let shown = 0;
  for (const problem of problems) {
    let matching = 0;
    for (const repair of problem.querySelectorAll(".repair")) {
      const outcomes = repair.dataset.outcome.split(",");
      repair.hidden = outcome.value !== "" && !outcomes.includes(outcome.value);
      matching += !repair.hidden;
    }
    problem.hidden = !matching || !problem.dataset.name.toLowerCase().includes(name.value.trim().toLowerCase()) ||
      (kind.value !== "" && problem.dataset.kind !== kind.value);
    shown += !problem.hidden;
  }
  filter.querySelector("output").textContent = `${shown} of ${problems.length} problems`;
}

function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (!target?.matches(".problem")) return;
  target.open = true;
  if (!target.hidden) return;
  for (const field of [name, outcome, kind]) field.value = "";
  apply();
  target.scrollIntoView();
}

filter.hidden = false;
filter.addEventListener("input", apply);
addEventListener("hashchange", openTarget);
apply();
openTarget();
