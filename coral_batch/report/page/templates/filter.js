// Shows the repairs that match the filter; without scripts the page shows all of them.
const filter = document.getElementById("filter");
const [name, outcome, kind] = filter.querySelectorAll("input, select");
const problems = [...document.querySelectorAll(".problem")];

function apply() {
  let shown = 0;
  for (const problem of problems) {
    let matching = 0;
    for (const repair of problem.querySelectorAll(".repair")) {
      const outcomes = repair.dataset.outcome.split(" ");
      repair.hidden = outcome.value !== "" && !outcomes.includes(outcome.value);
      matching += !repair.hidden;
    }
    problem.hidden = !matching || !problem.dataset.name.includes(name.value.trim()) ||
      (kind.value !== "" && problem.dataset.kind !== kind.value);
    shown += !problem.hidden;
  }
  filter.querySelector("output").textContent = `${shown} of ${problems.length} problems`;
}

function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (target?.matches(".problem")) target.open = true;
}

filter.hidden = false;
filter.addEventListener("input", apply);
addEventListener("hashchange", openTarget);
apply();
openTarget();
