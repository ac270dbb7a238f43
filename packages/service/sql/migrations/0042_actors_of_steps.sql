-- Which person or client took a step of a trade after its execution, by the number of the step: for operators alone, hence not in the
-- timeline, which customers read. Steps of before have none.
alter table transactions add column acted_by json;
