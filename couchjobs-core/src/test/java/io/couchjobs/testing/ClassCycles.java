package io.couchjobs.testing;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Finds the classes of one package that need each other, by Tarjan's algorithm; a nested class counts as its outermost one. */
public final class ClassCycles {
    private final Map<String, Set<String>> needs;
    private final Map<String, Integer> index = new HashMap<>();
    private final Map<String, Integer> low = new HashMap<>();
    private final Deque<String> stack = new ArrayDeque<>();
    private final List<Set<String>> found = new ArrayList<>();

    private ClassCycles(Map<String, Set<String>> needs) {
        this.needs = needs;
    }

    public static List<Set<String>> of(JavaClasses classes) {
        Map<String, Set<String>> needs = new TreeMap<>();
        for (JavaClass each : classes) {
            Set<String> others = needs.computeIfAbsent(outermost(each), name -> new TreeSet<>());
            for (Dependency dependency : each.getDirectDependenciesFromSelf()) {
                JavaClass other = dependency.getTargetClass();
                if (other.getPackageName().equals(each.getPackageName())) {
                    others.add(outermost(other));
                }
            }
        }
        ClassCycles cycles = new ClassCycles(needs);
        for (String name : needs.keySet()) {
            if (!cycles.index.containsKey(name)) {
                cycles.visit(name);
            }
        }
        return cycles.found;
    }

    private static String outermost(JavaClass one) {
        return one.getBaseComponentType().getName().replaceFirst("\\$.*", "");
    }

    private void visit(String name) {
        index.put(name, index.size());
        low.put(name, index.get(name));
        stack.push(name);
        for (String other : needs.getOrDefault(name, Set.of())) {
            if (!index.containsKey(other)) {
                visit(other);
                low.merge(name, low.get(other), Math::min);
            } else if (stack.contains(other)) {
                low.merge(name, index.get(other), Math::min);
            }
        }
        if (low.get(name).equals(index.get(name))) {
            Set<String> cycle = new TreeSet<>();
            String member;
            do {
                member = stack.pop();
                cycle.add(member);
            } while (!member.equals(name));
            if (cycle.size() > 1) {
                found.add(cycle);
            }
        }
    }
}
